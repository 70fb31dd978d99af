// SPDX-License-Identifier: Apache-2.0

/// Singular and plural of English nouns, as far as the names of tables and columns need them.
enum EnglishNoun {
    private static let irregular: [String: String] = [
        "children": "child", "people": "person", "men": "man", "women": "woman", "mice": "mouse", "geese": "goose",
        "feet": "foot", "teeth": "tooth", "criteria": "criterion", "media": "medium", "indices": "index",
        "matrices": "matrix", "vertices": "vertex", "appendices": "appendix", "analyses": "analysis",
        "syntheses": "synthesis", "diagnoses": "diagnosis", "crises": "crisis", "theses": "thesis",
        "hypotheses": "hypothesis", "quizzes": "quiz", "knives": "knife", "wives": "wife", "lives": "life",
        "wolves": "wolf", "shelves": "shelf", "leaves": "leaf", "halves": "half", "calves": "calf", "loaves": "loaf",
        "thieves": "thief", "selves": "self", "scarves": "scarf", "alumni": "alumnus", "cacti": "cactus",
        "phenomena": "phenomenon", "data": "data",
    ]
    /// Words in -ies whose singular ends in -ie.
    private static let plain: Set<String> = [
        "movies", "cookies", "ties", "pies", "calories", "zombies", "selfies", "genies", "rookies", "brownies", "lies",
    ]
    /// Words that are their own plural.
    private static let unchanged: Set<String> = ["series", "species", "news", "status", "sms", "gps", "dns", "aws"]

    private static let endings = Set("aehinst".utf8)

    /// The likely singular of a word in lower case; a singular is returned as it is.
    static func singular(_ word: String) -> String {
        // No plural of these forms ends otherwise.
        guard let last = word.utf8.last, endings.contains(last) else { return word }
        if let known = irregular[word] { return known }
        if unchanged.contains(word) { return word }
        // `bookshelves`, `housewives`.
        for ending in ["children", "people", "women", "shelves", "wolves", "wives", "knives"]
        where word.hasSuffix(ending) {
            return word.dropLast(ending.count) + (irregular[ending] ?? ending)
        }
        if word.hasSuffix("ies"), word.count > 4 {
            return plain.contains(word) ? String(word.dropLast()) : word.dropLast(3) + "y"
        }
        for ending in ["sses", "xes", "ches", "shes", "zzes", "oes"] where word.hasSuffix(ending) && word.count > 4 {
            return String(word.dropLast(2))
        }
        // `statuses`, `viruses`, but `houses`, `causes`.
        if word.hasSuffix("uses"), let before = word.dropLast(4).last, !"oa".contains(before), word.count > 5 {
            return String(word.dropLast(2))
        }
        if word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us"), !word.hasSuffix("is"), word.count > 2 {
            return String(word.dropLast())
        }
        return word
    }

    /// Every word that this one may be the plural of, the word itself first. Two names speak of the same when they
    /// share a form: `houses` may be the plural of `house` or of `hous`.
    static func forms(_ word: String) -> [String] {
        var forms = [word]
        func add(_ form: String) { if form.count > 1, !forms.contains(form) { forms.append(form) } }
        add(singular(word))
        guard word.hasSuffix("s"), !word.hasSuffix("ss"), !unchanged.contains(word) else { return forms }
        if word.hasSuffix("ies") {
            add(word.dropLast(3) + "y")
        } else if word.hasSuffix("ves") {
            add(word.dropLast(3) + "f")
            add(word.dropLast(3) + "fe")
        }
        if word.hasSuffix("es") { add(String(word.dropLast(2))) }
        if !word.hasSuffix("us"), !word.hasSuffix("is") { add(String(word.dropLast())) }
        return forms
    }
}
