~~~ ts
return 4;
~~~
