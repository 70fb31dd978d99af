print("farewell")
