// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One file of the tree: its path from the root, and its text taken apart where it is Swift.
struct SourceFile: Sendable {
    let path: String
    let text: String
    /// Code, comments and string literals, told apart. For other languages everything is code.
    let swift: SwiftText

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        swift = path.hasSuffix(".swift") ? SwiftText(text) : SwiftText(plain: text)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isSource: Bool { isSwift && path.hasPrefix("Sources/") }
    var isTest: Bool { isSwift && path.hasPrefix("Tests/") }
    /// Whether this is one of the rules' own files, which name what they forbid.
    var isRule: Bool { path.hasPrefix("Tests/HouseRules/") }
    /// The file's name without its folder.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    /// The module of a file in `Sources`, otherwise nil.
    var module: String? {
        let parts = path.split(separator: "/")
        return isSource && parts.count > 2 ? String(parts[1]) : nil
    }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    func isBelow(_ folders: [String]) -> Bool { folders.contains { path.hasPrefix($0) } }

    /// The lines whose code holds one of the phrases, as whole words.
    func code(holding phrases: [String]) -> [HouseRule.Finding] { find(phrases, in: swift.code) }

    /// The lines of the whole text that hold one of the phrases.
    func text(holding phrases: [String]) -> [HouseRule.Finding] { find(phrases, in: text) }

    private func find(_ phrases: [String], in haystack: String) -> [HouseRule.Finding] {
        phrases.flatMap { phrase in
            haystack.places(of: phrase).map { HouseRule.Finding(line: $0, what: "`\(phrase)`") }
        }
    }
}

extension String {
    /// The lines (from 1) on which `phrase` begins, not counting places where it is a part of longer words.
    func places(of phrase: String) -> [Int] {
        let beginsAsWord = phrase.utf8.first?.isWordCharacter ?? false
        let endsAsWord = phrase.utf8.last?.isWordCharacter ?? false
        let length = phrase.utf8.count
        guard !phrase.isEmpty else { return [] }
        return withCString { start in
            var lines: [Int] = []
            var line = 1
            var counted = start
            var next = start
            while let hit = strstr(next, phrase).map({ UnsafePointer($0) }) {
                next = hit + 1
                if beginsAsWord, hit > start, UInt8(bitPattern: hit[-1]).isWordCharacter { continue }
                if endsAsWord, UInt8(bitPattern: hit[length]).isWordCharacter { continue }
                while counted < hit {
                    if counted.pointee == 10 { line += 1 }
                    counted += 1
                }
                lines.append(line)
            }
            return lines
        }
    }
}

extension UInt8 {
    /// A letter, a digit or an underscore of ASCII.
    var isWordCharacter: Bool {
        (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self) || self == 95
    }
}
