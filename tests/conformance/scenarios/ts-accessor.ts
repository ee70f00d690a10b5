class Box {
  accessor x = 1;
}
return new Box().x;
