const a = 1;
const mark = (value: unknown): unknown => value;
@mark
class Marked { x = a; }
return new Marked().x;
