enum Kind {
  One = 1,
}
Kind.One; missing(Kind.One);
