enum Colour { Red, Green = 5, Blue }
enum Word { Yes = 'yes', No = 'no' }
return [Colour.Red, Colour.Blue, Colour[5], Word.Yes, Object.keys(Colour).length];
