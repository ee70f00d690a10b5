class Point { x = 1; }
return { at: new Point() };
