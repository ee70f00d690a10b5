emit(new Blob(['too late']));
text('early');
exit();
