// SPDX-License-Identifier: Apache-2.0

/// Rules about files: how long, how named, how begun.
let layoutRules: [HouseRule] = [
    fileLength, lineLength, licenceLine, drawers, fileName, publicTypes, machinePaths,
]

private let longestFile = 400
private let longestLine = 120
/// Tests hold rows of fixtures and SQL that read better unbroken.
private let longestTestLine = 140

private let fileLength = HouseRule(
    sentence: "a file has at most 400 lines",
    refuses: SourceFile("Sources/A/Long.swift", String(repeating: "\n", count: longestFile + 1)),
    accepts: SourceFile("Sources/A/Short.swift", String(repeating: "x\n", count: longestFile))
) { file in
    let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
    guard file.isSwift || file.path.hasPrefix("Scripts/"), count > longestFile else { return [] }
    return [.init(line: longestFile + 1, what: "\(count) lines: what two things does it hold?")]
}

private let lineLength = HouseRule(
    sentence: "a line of Swift has at most 120 characters, in tests 140",
    refuses: SourceFile("Sources/A/Wide.swift", "// " + String(repeating: "x", count: longestLine)),
    accepts: SourceFile("Sources/A/Narrow.swift", String(repeating: "ü", count: longestLine))
) { file in
    guard file.isSwift else { return [] }
    let longest = file.path.hasPrefix("Tests/") ? longestTestLine : longestLine
    return file.lines.enumerated().filter { $1.utf8.count > longest && $1.count > longest }
        .map { .init(line: $0 + 1, what: "\($1.count) characters") }
}

private let licenceLine = HouseRule(
    sentence: "a Swift file begins with its licence",
    refuses: SourceFile("Sources/A/Bare.swift", "import Foundation\n"),
    accepts: SourceFile("Sources/A/Good.swift", "// SPDX-License-Identifier: Apache-2.0\n")
) { file in
    let first = file.name == "Package.swift" ? 1 : 0  // the tools version must come before it
    guard file.isSwift, file.lines.dropFirst(first).first != "// SPDX-License-Identifier: Apache-2.0" else { return [] }
    return [.init(line: first + 1, what: "no SPDX line")]
}

private let drawerNames: Set<String> = [
    "util", "utils", "utilities", "helper", "helpers", "common", "misc", "core", "new", "deprecated", "shared",
    "extensions", "manager",
]

private let drawers = HouseRule(
    sentence: "nothing is named after a drawer",
    refuses: SourceFile("Sources/A/Helpers/Text.swift", ""),
    accepts: SourceFile("Sources/A/Newsletter/Text.swift", "")
) { file in
    file.path.split(separator: "/").compactMap { part in
        let stem = part.split(separator: ".").first.map(String.init) ?? ""
        let isDrawer =
            drawerNames.contains(stem.lowercased())
            || ["Utils", "Utilities", "Helper", "Helpers", "Misc"].contains { stem.hasSuffix($0) }
        return isDrawer ? .init(line: 1, what: "`\(part)`: name it after what it holds") : nil
    }
}

private let fileName = HouseRule(
    sentence: "a file is named after what it declares",
    refuses: SourceFile("Sources/A/Receipt.swift", "struct Ledger {}\n"),
    accepts: SourceFile("Sources/A/Receipt+Page.swift", "extension Receipt {}\n")
) { file in
    let stem = String(file.name.dropLast(".swift".count).prefix { $0 != "+" })
    guard file.isSource || file.isTest, !["main", "Package"].contains(stem) else { return [] }
    let declared = ["struct", "enum", "class", "actor", "protocol", "extension", "typealias", "func", "let"]
        .contains { keyword in
            let lowered = ["func", "let"].contains(keyword) ? stem.prefix(1).lowercased() + stem.dropFirst() : stem
            return !file.code(holding: ["\(keyword) \(lowered)"]).isEmpty
        }
    return declared ? [] : [.init(line: 1, what: "declares no `\(stem)`")]
}

private let publicTypes = HouseRule(
    sentence: "a type that other modules use has a file of its own",
    refuses: SourceFile("Sources/A/Receipt.swift", "public struct Receipt {}\npackage struct Ledger {}\n"),
    accepts: SourceFile(
        "Sources/A/Receipt.swift", "public import struct A.B\npublic struct Receipt {\n    public enum Kind {}\n}\nstruct Part {}\n")
) { file in
    guard file.isSource else { return [] }
    let stem = file.name.dropLast(".swift".count).prefix { $0 != "+" }
    let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol"]
    return file.swift.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
        guard line.first != " " else { return nil }
        let words = line.split { " (:{<".contains($0) }
        guard words.contains("public") || words.contains("package"), !words.contains("import"),
            let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count, words[kind + 1] != stem
        else { return nil }
        return HouseRule.Finding(line: index + 1, what: "`\(words[kind + 1])`: give it a file of its own")
    }
}

private let machinePaths = HouseRule(
    sentence: "no file knows the machine it was written on",
    refuses: SourceFile("docs/a.md", "see /home/" + "me/farewell"),
    accepts: SourceFile("docs/a.md", "see /usr/lib/postgresql")
) { file in
    guard !file.isRule else { return [] }
    return file.text(holding: ["/home/", "/Users/"])
}
