// nothing but this
