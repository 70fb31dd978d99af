// SPDX-License-Identifier: Apache-2.0

/// A condition of `#if`, as far as it decides whether Apple's compiler reads a branch.
struct AppleCondition {
    /// True on every Apple system, on none, or on some of them.
    enum Truth { case always, never, sometimes }

    /// Names that no Apple system has, and names that some have.
    private static let never: Set<String> = [
        "Linux", "Glibc", "Musl", "FoundationNetworking", "SwiftUIInterface", "UIKitInterface", "CLibCrypto",
    ]
    private static let sometimes: Set<String> = ["UIKit", "iOS", "macOS", "tvOS", "watchOS", "visionOS"]
    /// Names that conditions may ask for beside Apple's modules.
    static let known = never.union(sometimes)

    private var words: ArraySlice<String>

    static func truth(_ text: Substring) -> Truth {
        var parser = AppleCondition(words: ArraySlice(tokens(text)))
        return parser.either()
    }

    /// The words and signs of a condition.
    static func tokens(_ text: Substring) -> [String] {
        var tokens: [String] = []
        var word = ""
        for character in text + " " {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            if !word.isEmpty { tokens.append(word) }
            word = ""
            if character != " " { tokens.append(String(character)) }
        }
        return tokens
    }

    private mutating func either() -> Truth {
        var truth = both()
        while words.first == "|" {
            words.removeFirst(2)
            let other = both()
            truth = truth == .always || other == .always ? .always : truth == .never ? other : other == .never ? truth : .sometimes
        }
        return truth
    }

    private mutating func both() -> Truth {
        var truth = one()
        while words.first == "&" {
            words.removeFirst(2)
            let other = one()
            truth = truth == .never || other == .never ? .never : truth == .always ? other : other == .always ? truth : .sometimes
        }
        return truth
    }

    private mutating func one() -> Truth {
        guard let word = words.popFirst() else { return .sometimes }
        if word == "!" {
            switch one() {
            case .always: return .never
            case .never: return .always
            case .sometimes: return .sometimes
            }
        }
        if word == "(" {
            defer { _ = words.popFirst() }
            return either()
        }
        guard ["canImport", "os"].contains(word), words.count >= 3 else { return .sometimes }
        let name = words[words.startIndex + 1]
        words.removeFirst(3)
        return Self.never.contains(name) ? .never : Self.sometimes.contains(name) ? .sometimes : .always
    }
}
