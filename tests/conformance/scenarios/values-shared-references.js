const shared = { x: [1] };
return [shared, shared, { shared }];
