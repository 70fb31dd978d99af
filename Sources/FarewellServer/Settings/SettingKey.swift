// SPDX-License-Identifier: Apache-2.0

/// One setting by its name in the file, e.g. `http.port`; in the environment it is `FAREWELL_HTTP_PORT`.
package struct SettingKey: Sendable, Hashable {
    package let name: String
    package let kind: Kind
    /// The default, as readable text.
    package let standard: String
    package let meaning: String
    /// Whether its value is shown nowhere.
    package let isSecret: Bool
    /// The name in versions before this one; accepted until the next.
    package let formerName: String?

    /// The accepted values.
    package enum Kind: Sendable, Hashable {
        case text
        case oneOf([String])
        case number(ClosedRange<Int>)
        case flag
        case list
    }

    init(
        _ name: String, _ kind: Kind, _ standard: String, _ meaning: String, isSecret: Bool = false,
        formerName: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.meaning = meaning
        self.isSecret = isSecret
        self.formerName = formerName
    }

    /// The same setting under its former name.
    var former: SettingKey? {
        formerName.map { SettingKey($0, kind, standard, meaning, isSecret: isSecret) }
    }

    /// Its name in the environment.
    package var variable: String {
        "FAREWELL_" + name.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    var components: [String] { name.split(separator: ".").map(String.init) }
}
