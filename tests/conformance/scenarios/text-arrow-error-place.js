// A comment.
  async () => {
    missing();
  };
