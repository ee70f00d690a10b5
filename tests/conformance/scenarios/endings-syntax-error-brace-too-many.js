if (true) {
  console.log(1);
}
}
