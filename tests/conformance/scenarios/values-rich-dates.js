return [new Date(86400000), new Date(-1), new Date(NaN), new Date(8.64e15), /a"b\/[\\d]+/giu];
