// SPDX-License-Identifier: Apache-2.0

import FarewellServer

/// `docs/settings.md`: every setting of the server.
enum SettingsPage {
    static var lines: [String] {
        var lines = introduction
        for group in groups { lines += ["", "## \(group.title)", ""] + table(group.keys).lines }
        return lines
    }

    private static let introduction = [
        "# Settings", "",
        "These are the settings of `farewell serve` and `farewell work`. `--settings FILE` names a YAML file, in",
        "which `http.port` is written `http: {port: 9999}`. Each setting also has an environment variable. Options",
        "of the command override variables, and variables override the file. In a variable, commas separate the",
        "items of a list.", "",
        "The server refuses unknown names and values that are out of range. It never shows secrets.", "",
        "```yaml", "database: {url: \"postgresql://app@db/app\"}",
        "tokens: {issuer: \"https://id.example.org/auth/v1\"}", "erasures: {plan: farewell.yaml}", "```",
    ]

    /// The settings by the first part of their names, in their order.
    private static var groups: [(title: String, keys: [SettingKey])] {
        var order: [String] = []
        var keys: [String: [SettingKey]] = [:]
        for key in SettingKey.all {
            let group = String(key.name.prefix { $0 != "." })
            if keys[group] == nil { order.append(group) }
            keys[group, default: []].append(key)
        }
        return order.map { ($0, keys[$0] ?? []) }
    }

    private static func table(_ keys: [SettingKey]) -> MarkdownTable {
        MarkdownTable(["setting", "type", "default", "range", "variable", "meaning"], rows: keys.map(row))
    }

    private static func row(_ key: SettingKey) -> [String] {
        let meaning = key.isSecret ? key.meaning + " It is a secret." : key.meaning
        return [key.name.asCode, type(of: key), key.standard, range(of: key), key.variable.asCode, meaning]
    }

    private static func type(of key: SettingKey) -> String {
        switch key.kind {
        case .text: "text"
        case .oneOf: "word"
        case .number: "number"
        case .flag: "true or false"
        case .list: "list"
        }
    }

    private static func range(of key: SettingKey) -> String {
        switch key.kind {
        case .oneOf(let words): words.map(\.asCode).joined(separator: ", ")
        case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .text, .flag, .list: ""
        }
    }
}
