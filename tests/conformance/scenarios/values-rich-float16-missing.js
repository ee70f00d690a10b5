try {
  await home.half();
} catch (error) {
  return error.message;
}
