// SPDX-License-Identifier: Apache-2.0

/// Rules about modules: imports, dependencies, the writers of SQL, the promises of `public`.
let moduleRules: [HouseRule] = [imports, arrows, dependencies, sqlText, rowPlaces, publicDocumentation]

/// The permitted imports of each module beside the system's own modules. A module exists only to keep a dependency from another; this table
/// is that promise.
private let importable: [String: Set<String>] = [
    "CLibPQ": [],
    "CSQLiteChanges": [],
    "Farewell": [],
    "FarewellSQL": [
        "Farewell", "CLibPQ", "CSQLiteChanges", "GRDB", "GRDBSQLite", "Crypto", "DequeModule",
    ],
    "FarewellKeys": ["Farewell", "FarewellSQL", "AsyncAlgorithms", "Crypto", "Logging"],
    "FarewellPlan": ["Farewell", "FarewellSQL", "FarewellKeys", "Crypto", "Yams"],
    "FarewellErasure": ["Farewell", "FarewellSQL", "FarewellKeys", "FarewellPlan", "Crypto", "Logging"],
    "FarewellSessions": ["Farewell", "FarewellSQL", "FarewellKeys", "CCrypt", "Crypto", "CryptoExtras", "Logging"],
    "FarewellVerifier": [
        "Farewell", "AsyncHTTPClient", "Crypto", "CryptoExtras", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle",
    ],
    "FarewellConnectors": [
        "Farewell", "FarewellVerifier", "AsyncHTTPClient", "Crypto", "CryptoExtras", "NIOCore", "NIOHTTP1", "NIOPosix",
        "NIOSSL", "Subprocess", "System", "SystemPackage",
    ],
    "FarewellServer": [
        "Farewell", "FarewellSQL", "FarewellKeys", "FarewellPlan", "FarewellErasure", "FarewellSessions",
        "FarewellVerifier", "AsyncAlgorithms", "AsyncHTTPClient", "Hummingbird", "HummingbirdCore", "Configuration", "Crypto", "HTTPTypes",
        "Logging", "Metrics", "Mustache", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOPosix", "NIOSSL",
        "ServiceLifecycle", "Subprocess", "System", "SystemPackage", "Tracing", "UnixSignals", "Yams",
    ],
    "FarewellClient": [
        "Farewell", "CLibCrypto", "CryptoKit", "FoundationNetworking", "Security", "AuthenticationServices", "CoreData",
    ],
    "FarewellUI": ["Farewell", "FarewellClient", "Observation"],
    "FarewellViews": ["Farewell", "FarewellClient", "FarewellUI", "SwiftUI", "UIKit", "Accessibility"],
    "CLibCrypto": [],
    "CLibSecret": [],
    "FarewellSecretService": ["Farewell", "FarewellClient", "CLibSecret"],
    "FarewellClientTesting": ["Farewell", "FarewellClient"],
    "FarewellTesting": ["Farewell", "FarewellSQL", "FarewellErasure", "Testing", "Crypto", "Logging"],
    "FarewellSample": ["Farewell", "FarewellSQL", "Crypto"],
    "FarewellSampleCommand": ["Farewell", "FarewellSQL", "FarewellSample", "ArgumentParser"],
    "FarewellCommand": [
        "Farewell", "FarewellSQL", "FarewellKeys", "FarewellPlan", "FarewellErasure", "FarewellSessions",
        "FarewellConnectors", "FarewellSample", "FarewellServer",
        "ArgumentParser", "Logging", "Rainbow",
    ],
]

private let system: Set<String> = [
    "Foundation", "FoundationEssentials", "Synchronization", "Dispatch", "Glibc", "Musl", "Darwin", "os",
]

private let imports = HouseRule(
    sentence: "a module imports what it may",
    refuses: SourceFile("Sources/Farewell/Bad.swift", "public import FarewellSQL\n"),
    accepts: SourceFile("Sources/FarewellSQL/Good.swift", "import Foundation\nimport struct GRDB.Row\n")
) { file in
    guard let module = file.module else { return [] }
    guard let allowed = importable[module] else {
        return [.init(line: 1, what: "the module \(module) is not in the table of imports")]
    }
    let basics = module == "Farewell" ? system.subtracting(["Dispatch", "Glibc", "Musl", "Darwin"]) : system
    return file.swift.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        .compactMap { index, line in
            guard let name = importedModule(line), !allowed.contains(name), !basics.contains(name) else { return nil }
            return .init(line: index + 1, what: "\(module) may not import \(name)")
        }
}

/// The module a line imports, or nil: `import A`, `public import A`, `@testable import struct A.B`.
func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
        words[..<keyword].allSatisfy({ $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0) })
    else { return nil }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    let place = kinds.contains(words[keyword + 1]) ? keyword + 2 : keyword + 1
    guard place < words.count else { return nil }
    return words[place].split(separator: ".").first.map(String.init)
}

private let arrows = HouseRule(
    sentence: "a module depends only on modules that it may import",
    refuses: SourceFile("Package.swift", "name: \"FarewellErasure\",\ndependencies: [\"Farewell\", \"FarewellSessions\"],\n"),
    accepts: SourceFile("Package.swift", "name: \"FarewellErasure\",\ndependencies: [\"Farewell\", \"FarewellPlan\"],\n")
) { file in
    guard file.path == "Package.swift" else { return [] }
    var target = ""
    var findings: [HouseRule.Finding] = []
    for (index, line) in file.lines.enumerated() where !line.contains("targets: [") && !line.contains(".product(") {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        for place in stride(from: 1, to: parts.count, by: 2) {
            let name = String(parts[place])
            if parts[place - 1].hasSuffix("name: ") {
                target = name
            } else if let allowed = importable[target], importable[name] != nil, !allowed.contains(name) {
                findings.append(.init(line: index + 1, what: "\(target) may not depend on \(name)"))
            }
        }
    }
    return findings
}

/// The imports of each module.
private let imported: [String: Set<String>] = SourceTree.ofThisPackage.files.reduce(into: [:]) { found, file in
    guard let module = file.module else { return }
    found[module, default: []].formUnion(file.swift.code.split(separator: "\n").compactMap(importedModule))
}

private let dependencies = HouseRule(
    sentence: "a module depends on no product that it does not import",
    refuses: SourceFile("Package.swift", "name: \"FarewellPlan\",\n.product(name: \"JWTKit\", package: \"jwt-kit\"),\n"),
    accepts: SourceFile("Package.swift", "name: \"FarewellPlan\",\n.product(name: \"Yams\", package: \"Yams\"),\n")
) { file in
    guard file.path == "Package.swift" else { return [] }
    var target = ""
    var findings: [HouseRule.Finding] = []
    for (index, line) in file.lines.enumerated() {
        let parts = line.split(separator: "\"")
        guard let place = parts.firstIndex(where: { $0.hasSuffix("name: ") }), place + 1 < parts.count else { continue }
        let name = String(parts[place + 1])
        if !line.contains(".product(") {
            target = name
        } else if let names = imported[target], !names.contains(name) {
            findings.append(.init(line: index + 1, what: "\(target) does not import \(name)"))
        }
    }
    return findings
}

/// Folders whose files speak to a database.
private let sqlFolders = [
    "Sources/FarewellSQL/", "Sources/FarewellSample/", "Sources/FarewellTesting/", "Sources/FarewellKeys/Clock/SQL",
    "Sources/FarewellKeys/Names/AuthorityDeletionTrigger",
    "Sources/FarewellPlan/Rows/", "Sources/FarewellPlan/Probes/", "Sources/FarewellPlan/Sampling/",
    "Sources/FarewellErasure/Control/",
    "Sources/FarewellErasure/Preview/", "Sources/FarewellErasure/Verify/", "Sources/FarewellErasure/Doctor/",
    "Sources/FarewellErasure/Rehearsal/", "Sources/FarewellErasure/Rows/", "Sources/FarewellSessions/Store/",
]

private let sqlText = HouseRule(
    sentence: "only stores write SQL",
    refuses: SourceFile("Sources/FarewellCommand/Bad.swift", "let a = \"SELECT 1\""),
    accepts: SourceFile("Sources/FarewellCommand/Good.swift", "let a = \"Select a plan\"")
) { file in
    guard file.isSource, !file.isBelow(sqlFolders) else { return [] }
    let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "DROP ", "ALTER ", "WITH ", "PRAGMA "]
    return file.swift.literals.compactMap { literal in
        let text = literal.text.drop { $0.isWhitespace }
        return verbs.contains { text.hasPrefix($0) } ? .init(line: literal.line, what: "SQL outside a store") : nil
    }
}

/// Folders whose files read the rows that their own statements answer.
private let rowFolders = [
    "Sources/FarewellErasure/Control/", "Sources/FarewellErasure/Rows/", "Sources/FarewellErasure/Preview/",
    "Sources/FarewellErasure/Verify/", "Sources/FarewellErasure/Doctor/", "Sources/FarewellErasure/Rehearsal/",
    "Sources/FarewellSessions/Store/", "Sources/FarewellKeys/Clock/SQL",
]

/// Modules in which only those folders do.
private let rowModules: Set = ["FarewellErasure", "FarewellSessions", "FarewellKeys"]

private let rowPlaces = HouseRule(
    sentence: "only stores know at which place of a row a value stands",
    refuses: SourceFile(
        "Sources/FarewellSessions/Mail/Bad.swift",
        "let a = row[4].text\nlet b = rows.first?[1].date\nlet c = results.dropFirst(2)\nlet d = row.last?.date"),
    accepts: SourceFile("Sources/FarewellErasure/Work/Good.swift", "let a = erasure.cause\nlet b = members[0].id")
) { file in
    guard file.isSource, file.module.map(rowModules.contains) == true, !file.isBelow(rowFolders) else { return [] }
    return file.swift.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
        let reads = ["row[", "row?[", "rows[", "results[", ".first?[", ".scalar["].filter { opening in
            line.ranges(of: opening).contains { line[$0.upperBound...].first?.isNumber == true }
        }
        let ends = ["row.first?.", "row.last?.", "rows.first?.first", "rows.first?.last"].filter(line.contains)
        let counts = [
            "results.dropFirst(", "answers.dropFirst(", "answers.first", "answers.last",
            "dropFirst(start.count)", "[opening.count]", "[start.count]",
        ].filter(line.contains)
        return (reads + ends + counts).map { HouseRule.Finding(line: index + 1, what: "`\($0)` outside a store") }
    }
}

private let publicDocumentation = HouseRule(
    sentence: "a public type or function says what it promises",
    refuses: SourceFile("Sources/Farewell/Bad.swift", "/// A.\npublic struct A {\n    public func b() {}\n}\n"),
    accepts: SourceFile(
        "Sources/Farewell/Good.swift",
        """
        /// A.
        @frozen
        public struct A: Hashable {
            public let name: String
            public static func == (left: A, right: A) -> Bool { true }
            /// Does it.
            @discardableResult
            public func b() -> Int { 1 }
        }
        """)
) { file in
    guard file.isSource else { return [] }
    let lines = file.lines
    let code = file.swift.code.split(separator: "\n", omittingEmptySubsequences: false)
    return code.indices.compactMap { index in
        guard let name = publicDeclaration(code[index]) else { return nil }
        var above = index - 1
        while above >= 0, code[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
        let documented = above >= 0 && lines[above].drop { $0 == " " }.hasPrefix("///")
        return documented ? nil : .init(line: index + 1, what: "`\(name)` has no documentation")
    }
}

/// The public declaration of a line that needs documentation; nil for others, and for those that a protocol documents already.
private func publicDeclaration(_ line: Substring) -> String? {
    let words = line.split { " (:{".contains($0) }
    let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "func", "typealias", "macro"]
    guard words.contains("public"), let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else {
        return nil
    }
    let name = String(words[kind + 1].prefix { $0 != "<" || words[kind + 1].first == "<" })
    switch words[kind] {
    case "func": return described.contains(name) || promised.contains(name) ? nil : name
    case "typealias": return ["Element", "RawValue", "AsyncIterator", "ID"].contains(name) ? nil : name
    default: return name
    }
}

/// Functions that protocols of the standard library and of ArgumentParser describe.
private let described: Set<String> = [
    "==", "<", "hash", "encode", "run", "validate", "next", "makeAsyncIterator", "now",
]

/// Functions that one of our protocols documents; conforming types need not repeat it.
private let promised: Set<String> = {
    var names: Set<String> = []
    for file in SourceTree.ofThisPackage.files where file.isSource && file.swift.code.contains("protocol ") {
        let lines = file.lines
        for (index, line) in lines.enumerated() where line.hasPrefix("    func ") && index > 0 {
            var above = index - 1
            while above > 0, lines[above].hasPrefix("    @") { above -= 1 }
            guard lines[above].hasPrefix("    ///") else { continue }
            names.insert(String(line.dropFirst("    func ".count).prefix { !"(<".contains($0) }))
        }
    }
    return names
}()
