// Nobody awaits it, and it is shown all the same.
emit(new Blob(['late']));
text('early');
return 1;
