argument => typeof argument
