"""One valid call of each public function, a file for each module of the package."""
