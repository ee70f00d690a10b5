return [await a.f(1), await b.f(2), typeof tools];
