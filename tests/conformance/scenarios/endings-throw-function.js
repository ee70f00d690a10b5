throw function named() {};
