````js
return "```";
````
