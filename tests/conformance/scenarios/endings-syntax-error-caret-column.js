const emoji = '😀😀'; const b = 08;
