// The answer.
/* Really. */ ( ( async  (   ) =>
  42 ) ) // Done;
;;
