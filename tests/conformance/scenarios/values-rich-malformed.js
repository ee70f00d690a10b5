for (const name of Object.keys(home)) {
  try {
    console.log(await home[name]());
  } catch (error) {
    console.log(`${error.name} ${error.code} ${error.message}`);
  }
}
