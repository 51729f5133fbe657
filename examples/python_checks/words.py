APOLOGIES = ["sorry", "apologize", "unfortunately"]
