// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// Names, addresses and telephone numbers of fictitious users; no two alike, none part of another.
enum SampleNames {
    /// As many surnames as five syllables of twenty make.
    static let limit = 3_200_000

    // Every name fills ten letters, so that SQL finds the n-th by its place in one text.
    private static let first = [
        "Ada", "Amir", "Bao", "Clara", "Dario", "Elif", "Femi", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Liam",
        "Mira", "Noor", "Oskar", "Paula", "Quinn", "Rosa", "Samir", "Tilda", "Umar", "Vera", "Wanda", "Xenia",
        "Yusuf", "Zoe", "Anouk", "Bruno", "Chiara", "Dmitri", "Esme",
    ]
    private static let syllables = "karomilesatonevidalubenorimatesolajuhepa"
    private static let capitals = "KaRoMiLeSaToNeViDaLuBeNoRiMaTeSoLaJuHePa"
    /// Shares no factor with `limit`: a user's number reaches every surname once.
    private static let stride = 1_979_329
    /// Lest the first of all be called Kakakakaka.
    private static let shift = 12_345

    static func firstName(_ person: Int) -> String { first[person % first.count] }

    static func surname(_ person: Int) -> String {
        var rest = (person + shift) * stride % limit
        return (0..<5).map { place in
            defer { rest /= 20 }
            let start = rest % 20 * 2
            return String((place == 0 ? capitals : syllables).dropFirst(start).prefix(2))
        }.joined()
    }

    static func displayName(_ person: Int) -> String { "\(firstName(person)) \(surname(person))" }

    static func email(_ person: Int) -> String {
        "\(firstName(person)).\(surname(person))@example.org".lowercased()
    }

    /// A number under +999, which is no country's.
    static func phone(_ person: Int) -> String { "+999\(2_000_000_000 + person)" }

    /// The same as expressions over `person`, the name of a whole-number column.
    static func firstName(_ person: String) -> String {
        let text = first.map { $0 + String(repeating: " ", count: 10 - $0.count) }.joined()
        return "trim(substr('\(text)', (1 + \(person) % \(first.count) * 10)::int, 10))"
    }

    static func surname(_ person: String) -> String {
        var divisor = 1
        return (0..<5).map { place in
            defer { divisor *= 20 }
            let letters = place == 0 ? capitals : syllables
            let number = "(\(person) + \(shift)) * \(stride) % \(limit)"
            return "substr('\(letters)', (1 + \(number) / \(divisor) % 20 * 2)::int, 2)"
        }.joined(separator: " || ")
    }

    static func displayName(_ person: String) -> String { "\(firstName(person)) || ' ' || \(surname(person))" }

    static func email(_ person: String) -> String {
        "lower(\(firstName(person)) || '.' || \(surname(person))) || '@example.org'"
    }

    static func phone(_ person: String) -> String { "'+999' || (2000000000 + \(person))" }
}
