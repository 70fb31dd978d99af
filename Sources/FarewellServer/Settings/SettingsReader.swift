// SPDX-License-Identifier: Apache-2.0

import Configuration
import Farewell
import FarewellPlan
import FarewellVerifier
import Foundation
import Yams

/// Settings of a file (YAML) and of the environment, which overrides the file.
///
/// An unknown name and a value of another type are errors: a misspelt limit would limit nothing.
@available(macOS 15, iOS 18, *)
struct SettingsReader {
    private let providers: [any ConfigProvider]
    private let file: YAMLSnapshot?
    private let fileName: String

    /// - Parameters:
    ///   - path: The file; nil reads the environment alone.
    ///   - environment: All variables; those that begin with `FAREWELL_` are settings.
    ///   - keys: Every setting there is.
    /// - Throws: `settings.unreadable`, `settings.malformed`, `settings.unknown`.
    init(path: String?, environment: [String: String], keys: [SettingKey]) throws {
        let keys = keys + keys.compactMap(\.former)
        fileName = path.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
        let secrets = Set(keys.filter(\.isSecret).map(\.variable))
        try Self.refuseUnknown(environment, keys)
        providers = [
            EnvironmentVariablesProvider(environmentVariables: environment, secretsSpecifier: .specific(secrets))
                .prefixKeys(with: "farewell")
        ]
        file = try path.map { try Self.snapshot($0, keys) }
    }

    func text(_ key: SettingKey) throws -> String? {
        guard case .string(let text)? = try content(key, .string) else { return nil }
        if case .oneOf(let words) = key.kind, !words.contains(text) {
            throw wrong(key, "is not one of \(words.joined(separator: ", "))")
        }
        return text
    }

    func number(_ key: SettingKey) throws -> Int? {
        guard case .int(let number)? = try content(key, .int) else { return nil }
        if case .number(let range) = key.kind, !range.contains(number) {
            throw wrong(key, "is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    func flag(_ key: SettingKey) throws -> Bool? {
        guard case .bool(let flag)? = try content(key, .bool) else { return nil }
        return flag
    }

    func list(_ key: SettingKey) throws -> [String]? {
        guard case .stringArray(let list)? = try content(key, .stringArray) else { return nil }
        return list
    }

    /// An address that keys come from or secrets go to: HTTPS, or HTTP on this machine.
    func safeAddress(_ key: SettingKey) throws -> String? {
        guard let given = try text(key) else { return nil }
        guard (try? SafeAddress.url(given)) != nil else { throw wrong(key, "is not a plain HTTPS address") }
        return given
    }

    /// An HTTP or HTTPS address, possibly in a private network, without a name and password in it.
    func address(_ key: SettingKey) throws -> String? {
        guard let given = try text(key) else { return nil }
        guard given.isPlain(upTo: 2048), !given.contains(" "), let url = URL(string: given), let host = url.host,
            !host.isEmpty, url.user == nil, url.password == nil, url.fragment == nil,
            SafeAddress.hasPossiblePort(url), url.scheme == "https" || url.scheme == "http"
        else { throw wrong(key, "is not a plain address of HTTP or HTTPS") }
        return given
    }

    /// The text in the file, even if the environment overrides it.
    func textInFile(_ key: SettingKey) throws -> String? {
        do {
            let value = try file?.value(forKey: AbsoluteConfigKey(key.components), type: .string).value?.content
            guard case .string(let text)? = value else { return nil }
            return text
        } catch {
            throw wrong(key, "is not \(Self.words(.string))")
        }
    }

    /// Whether the file or the environment has the setting.
    func isGiven(_ key: SettingKey) throws -> Bool {
        try key.kind == .list ? list(key) != nil : text(key) != nil
    }

    private func content(_ key: SettingKey, _ type: ConfigType) throws -> ConfigContent? {
        if let content = try given(key, type) { return content }
        return try key.former.flatMap { try given($0, type) }
    }

    private func given(_ key: SettingKey, _ type: ConfigType) throws -> ConfigContent? {
        let absolute = AbsoluteConfigKey(key.components)
        do {
            for provider in providers {
                if let value = try provider.value(forKey: absolute, type: type).value { return value.content }
            }
            return try file?.value(forKey: absolute, type: type).value?.content
        } catch {
            throw wrong(key, "is not \(Self.words(type))")
        }
    }

    private static func words(_ type: ConfigType) -> String {
        switch type {
        case .int: "a whole number"
        case .bool: "true or false"
        case .stringArray: "a list of texts"
        default: "a text"
        }
    }

    /// An error that names the setting and its source, but never the value.
    func wrong(_ key: SettingKey, _ what: String) -> FarewellError {
        FarewellError(
            "settings.wrong", .yoursToFix, "The setting \(key.name) \(what).",
            remedy: "Correct it in \(fileName.isEmpty ? key.variable : "\(fileName) or \(key.variable)").")
    }

    // MARK: The file

    private static func snapshot(_ path: String, _ keys: [SettingKey]) throws -> YAMLSnapshot {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The settings file at \(path) cannot be read.",
                remedy: "Check that it exists and that the server's user may read it.")
        }
        let name = URL(fileURLWithPath: path).lastPathComponent
        let text = YAMLMarks.divided(String(decoding: data, as: UTF8.self)).rest
        do {
            guard data.count <= 1 << 20 else { throw malformed(name) }
            if let problem = YAMLText.refused(Array(data)) { throw malformed(name, problem) }
            let node = try Yams.Parser(yaml: text).singleRoot()
            guard let mapping = node?.mapping else { throw malformed(name) }
            try refuseUnknown(mapping, [], in: name, keys)
            let secrets = Set(keys.filter(\.isSecret).map(\.name))
            return try YAMLSnapshot(
                data: Array(text.utf8).span.bytes, providerName: name,
                parsingOptions: .init(secretsSpecifier: .specific(secrets)))
        } catch let error as FarewellError {
            throw error
        } catch {
            throw malformed(name, PlanProblem(parsing: text, failedBy: error))
        }
    }

    private static func malformed(_ name: String, _ problem: PlanProblem? = nil) -> FarewellError {
        FarewellError(
            "settings.malformed", .yoursToFix,
            problem?.told(of: name) ?? "\(name) is not a YAML mapping of settings.",
            remedy: "See docs/settings.md for an example.")
    }

    private static func refuseUnknown(
        _ mapping: Yams.Node.Mapping, _ path: [String], in name: String, _ keys: [SettingKey]
    ) throws {
        for (key, value) in mapping {
            let here = path + [key.string ?? "?"]
            let dotted = here.joined(separator: ".")
            if let below = value.mapping {
                guard keys.contains(where: { $0.name.hasPrefix(dotted + ".") }) else {
                    throw unknown(dotted, name, keys)
                }
                try refuseUnknown(below, here, in: name, keys)
            } else if !keys.contains(where: { $0.name == dotted }) {
                throw unknown(dotted, name, keys)
            }
        }
    }

    private static func unknown(_ dotted: String, _ name: String, _ keys: [SettingKey]) -> FarewellError {
        let near = NearestName.of(dotted, in: suggested(keys).map(\.name))
        return FarewellError(
            "settings.unknown", .yoursToFix,
            "\(name) names the setting \(Shown.line(dotted, limit: 80)), which does not exist.",
            remedy: near.map { "Did you mean \($0)?" } ?? "docs/settings.md lists all settings.")
    }

    /// The settings by their present names only.
    private static func suggested(_ keys: [SettingKey]) -> [SettingKey] {
        let former = Set(keys.compactMap(\.formerName))
        return keys.filter { !former.contains($0.name) }
    }

    // MARK: The environment

    /// Variables of other programs of this project.
    private static let others = ["FAREWELL_TEST_", "FAREWELL_POSTGRES_"]

    private static func refuseUnknown(_ environment: [String: String], _ keys: [SettingKey]) throws {
        let known = Set(keys.map(\.variable))
        for name in environment.keys.sorted()
        where name.hasPrefix("FAREWELL_") && !known.contains(name) && !others.contains(where: name.hasPrefix) {
            let near = NearestName.of(name, in: suggested(keys).map(\.variable))
            throw FarewellError(
                "settings.unknown", .yoursToFix,
                "The environment names the setting \(Shown.line(name, limit: 80)), which does not exist.",
                remedy: near.map { "Did you mean \($0)?" } ?? "docs/settings.md lists all settings.")
        }
    }
}
