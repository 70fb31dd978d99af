// SPDX-License-Identifier: Apache-2.0

extension SourceFile {
    /// A directive of conditional compilation on each line that has one.
    private var directives: [(line: Int, keyword: String, condition: Substring)] {
        swift.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let text = line.drop { $0 == " " }
            for keyword in ["#if", "#elseif", "#else", "#endif"] {
                let rest = text.dropFirst(keyword.count)
                if text.hasPrefix(keyword), rest.first.map({ $0 == " " }) ?? true { return (index + 1, keyword, rest) }
            }
            return nil
        }
    }

    /// The lines (from 1) that a compiler for some Apple system reads.
    var appleLines: Set<Int> {
        /// Of each open condition: whether its branch is read, and whether one of its branches was certain to be.
        var open: [(isRead: Bool, isDecided: Bool)] = []
        var lines: Set<Int> = []
        var next = directives[...]
        for line in 1...max(1, self.lines.count) {
            guard let directive = next.first, directive.line == line else {
                if open.allSatisfy(\.isRead) { lines.insert(line) }
                continue
            }
            next.removeFirst()
            let truth = AppleCondition.truth(directive.condition)
            switch directive.keyword {
            case "#if": open.append((truth != .never, truth == .always))
            case "#elseif":
                guard let last = open.popLast() else { continue }
                open.append((!last.isDecided && truth != .never, last.isDecided || truth == .always))
            case "#else":
                guard let last = open.popLast() else { continue }
                open.append((!last.isDecided, true))
            default: _ = open.popLast()
            }
        }
        return lines
    }

    /// The names in conditions, such as `Darwin` in `canImport(Darwin)`.
    var conditionNames: [String] {
        directives.flatMap { directive in
            let words = AppleCondition.tokens(directive.condition)
            return words.indices.filter { ["canImport", "os"].contains(words[$0]) && $0 + 2 < words.count }
                .map { words[$0 + 2] }
        }
    }

    /// Whether a line stands within a condition that asks for this name.
    func asksFor(_ name: String, at line: Int) -> Bool {
        var open: [Substring] = []
        for directive in directives where directive.line < line {
            switch directive.keyword {
            case "#if": open.append(directive.condition)
            case "#endif": _ = open.popLast()
            default: if !open.isEmpty { open[open.count - 1] = directive.condition }
            }
        }
        return open.contains { AppleCondition.tokens($0).contains(name) }
    }

    /// The modules that the file imports, with their lines.
    var imports: [(line: Int, module: String)] {
        swift.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            importedModule(line).map { (index + 1, $0) }
        }
    }
}
