// SPDX-License-Identifier: Apache-2.0
import Testing

/// Rules about the modules that are compiled for Apple platforms, which no test on Linux compiles there.
let availabilityRules: [HouseRule] = [newerInterfaces, appleImports, missingImports, viewsOnTheMainActor]

/// The modules of an app, and of the tests of its own stores.
private let appModules: Set<String> = [
    "Farewell", "FarewellClient", "FarewellUI", "FarewellViews", "FarewellClientTesting",
]

/// The first versions of iOS and macOS that have something.
struct AppleVersion: Sendable, Equatable {
    let iOS: Double
    let macOS: Double

    /// The declaration in `Package.swift`.
    static let declared = AppleVersion(iOS: 17, macOS: 14)

    /// Whether it is there on every system that the package declares.
    var isDeclared: Bool { iOS <= Self.declared.iOS && macOS <= Self.declared.macOS }

    var text: String { "iOS \(iOS), macOS \(macOS)" }
}

/// Interfaces of the standard library and of Apple's frameworks that are newer than what the package declares. The
/// compiler on Linux accepts all of them.
private let newer: [(phrase: String, since: AppleVersion)] = [
    ("String(validating", .init(iOS: 18, macOS: 15)), ("AsyncSequence<", .init(iOS: 18, macOS: 15)),
    ("AsyncIteratorProtocol<", .init(iOS: 18, macOS: 15)), ("next(isolation:", .init(iOS: 18, macOS: 15)),
    ("Mutex<", .init(iOS: 18, macOS: 15)), ("Mutex(", .init(iOS: 18, macOS: 15)), ("Atomic<", .init(iOS: 18, macOS: 15)),
    ("Int128", .init(iOS: 18, macOS: 15)), ("UInt128", .init(iOS: 18, macOS: 15)),
    ("count(where", .init(iOS: 18, macOS: 15)),
    ("isolated deinit", .init(iOS: 18.4, macOS: 15.4)),
    ("InlineArray", .init(iOS: 26, macOS: 26)), ("Span<", .init(iOS: 26, macOS: 26)), ("RawSpan", .init(iOS: 26, macOS: 26)),
    ("MutableSpan", .init(iOS: 26, macOS: 26)), ("Observations", .init(iOS: 26, macOS: 26)),
    ("Task.immediate", .init(iOS: 26, macOS: 26)), ("UTF8Span", .init(iOS: 26, macOS: 26)),
    ("presentationSizing", .init(iOS: 18, macOS: 15)), ("TabSection", .init(iOS: 18, macOS: 15)),
    ("deleteAllData", .init(iOS: 17.1, macOS: 14.1)), ("glassEffect", .init(iOS: 26, macOS: 26)),
]

private let newerInterfaces = HouseRule(
    sentence: "an app's modules use nothing that is newer than the systems that the package declares",
    refuses: SourceFile(
        "Sources/FarewellClient/Bad.swift", "#if canImport(Darwin)\nlet a = String(validating: b, as: UTF8.self)\n#endif"),
    accepts: SourceFile("Sources/FarewellClient/Good.swift", "#if os(Linux)\nlet a = Mutex(1)\n#endif\nlet b = Guarded(1)")
) { file in
    guard let module = file.module, appModules.contains(module) else { return [] }
    let lines = file.appleLines
    return newer.flatMap { phrase, since in
        since.isDeclared
            ? []
            : file.code(holding: [phrase]).filter { lines.contains($0.line) }
                .map { HouseRule.Finding(line: $0.line, what: "`\(phrase)` is there since \(since.text)") }
    }
}

/// The modules of Apple's systems that an app's modules import, and since when each is there. UIKit is not on macOS.
private let appleModules: [String: AppleVersion] = [
    "Foundation": .init(iOS: 2, macOS: 10), "Darwin": .init(iOS: 2, macOS: 10), "os": .init(iOS: 16, macOS: 13),
    "Security": .init(iOS: 2, macOS: 10), "CryptoKit": .init(iOS: 13, macOS: 10.15), "CoreData": .init(iOS: 3, macOS: 10.4),
    "AuthenticationServices": .init(iOS: 13, macOS: 10.15), "SwiftUI": .init(iOS: 17, macOS: 14),
    "Accessibility": .init(iOS: 17, macOS: 14), "Observation": .init(iOS: 17, macOS: 14),
    "UIKit": .init(iOS: 2, macOS: .infinity), "Synchronization": .init(iOS: 18, macOS: 15),
]

private let appleImports = HouseRule(
    sentence: "an app's modules import what every declared system has, or ask first",
    refuses: SourceFile("Sources/FarewellClient/Bad.swift", "import Synchronization\n"),
    accepts: SourceFile(
        "Sources/FarewellClient/Good.swift",
        "import Foundation\n#if canImport(UIKit)\nimport UIKit\n#elseif os(Linux)\nimport Synchronization\n#endif\n")
) { file in
    guard let module = file.module, appModules.contains(module) else { return [] }
    let lines = file.appleLines
    return file.imports.filter { lines.contains($0.line) && !appModules.contains($0.module) }.compactMap { line, name in
        guard let since = appleModules[name] else { return .init(line: line, what: "\(name) is on no Apple system") }
        if since.isDeclared || file.asksFor(name, at: line) && since.macOS == .infinity { return nil }
        return .init(line: line, what: "\(name) is there since \(since.text)")
    }
}

/// Symbols that a file has only if it imports their module: the compiler requires that of every file.
private let declaredIn: [(phrases: [String], module: String)] = [
    (["SymmetricKey", "HKDF", "AES", "SHA256"], "CryptoKit"),
    (["SecItemCopyMatching", "SecItemAdd", "SecItemUpdate", "SecItemDelete", "kSecClass"], "Security"),
    (["NSPersistentStoreCoordinator", "NSManagedObjectModel"], "CoreData"),
    (["ASAuthorizationAppleIDProvider", "ASAuthorizationController", "ASPresentationAnchor"], "AuthenticationServices"),
    (["UIHostingController", "ViewModifier", "Bindable"], "SwiftUI"), (["UIViewController"], "UIKit"),
    (["AccessibilityNotification"], "Accessibility"), (["Observable"], "Observation"),
    (["memset_s", "flock", "getpid", "geteuid", "sched_yield", "fsync"], "Darwin"),
    (["OSAllocatedUnfairLock"], "os"), (["URL", "Data", "UserDefaults", "ProcessInfo"], "Foundation"),
]

private let missingImports = HouseRule(
    sentence: "an app's file imports the Apple module whose names it uses",
    refuses: SourceFile("Sources/FarewellClient/Bad.swift", "#if canImport(CryptoKit)\nlet a = SymmetricKey(size: .bits256)\n#endif"),
    accepts: SourceFile(
        "Sources/FarewellClient/Good.swift", "#if canImport(CryptoKit)\nimport CryptoKit\nlet a = SymmetricKey(size: .bits256)\n#endif")
) { file in
    guard let module = file.module, appModules.contains(module), module != "Farewell" else { return [] }
    let lines = file.appleLines
    let imported = Set(file.imports.filter { lines.contains($0.line) }.map(\.module))
    return declaredIn.filter { !imported.contains($0.module) }.flatMap { phrases, module in
        file.code(holding: phrases).filter { lines.contains($0.line) }
            .map { HouseRule.Finding(line: $0.line, what: "\($0.what) needs `import \(module)`") }
    }
}

/// With the interfaces of iOS 17 only the `body` of a view is on the main actor; later ones put the whole view there.
private let viewsOnTheMainActor = HouseRule(
    sentence: "a view says itself that it is on the main actor",
    refuses: SourceFile("Sources/FarewellViews/Bad.swift", "struct Bad: View {\n}"),
    accepts: SourceFile(
        "Sources/FarewellViews/Good.swift", "@MainActor\nstruct Good: View {\n}\n@MainActor\nextension View {\n}\nextension Copy {\n}")
) { file in
    guard file.module == "FarewellViews" else { return [] }
    return zip(file.lines.indices, file.lines).compactMap { index, line in
        let words = line.split(whereSeparator: { " :,{<>".contains($0) })
        let isView = words.contains("struct") && line.contains(":") && (words.contains("View") || words.contains("ViewModifier"))
        guard isView || line.hasPrefix("extension View {") || line.hasPrefix("public extension View {") else { return nil }
        return index > 0 && file.lines[index - 1] == "@MainActor" ? nil : .init(line: index + 1, what: "`@MainActor` is missing")
    }
}

@Suite("The code that Apple's systems compile from a file")
struct AvailabilityTests {
    @Test("AP-1 APP-01 the versions in these rules are those of the package")
    func declared() throws {
        let manifest = try #require(SourceTree.ofThisPackage["Package.swift"])
        let version = AppleVersion.declared
        #expect(manifest.text.contains("platforms: [.macOS(.v\(Int(version.macOS))), .iOS(.v\(Int(version.iOS)))]"))
    }

    @Test("AP-1 APP-01 each branch of a condition is known to be Apple's, Linux's or both")
    func branches() {
        let file = SourceFile(
            "Sources/FarewellClient/A.swift",
            """
            a
            #if canImport(Darwin)
            b
            #elseif canImport(Musl)
            c
            #else
            d
            #endif
            #if canImport(UIKit) && !os(watchOS)
            e
            #if os(macOS)
            f
            #else
            g
            #endif
            #else
            h
            #endif
            #if !canImport(CryptoKit) || os(Linux)
            i
            #else
            j
            #endif
            """)
        let letters = file.lines.enumerated().filter { file.appleLines.contains($0.offset + 1) && $0.element.count == 1 }
        #expect(letters.map { String($0.element) } == ["a", "b", "e", "f", "g", "h", "j"])
    }

    @Test("AP-1 every file of an app's modules that has a branch for Apple's systems is known to these rules")
    func conditions() {
        for file in SourceTree.ofThisPackage.files where file.module.map(appModules.contains) == true {
            for name in file.conditionNames where appleModules[name] == nil {
                #expect(AppleCondition.known.contains(name), "\(file.path): \(name)")
            }
        }
    }
}
