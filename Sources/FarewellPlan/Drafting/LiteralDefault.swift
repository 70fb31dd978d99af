// SPDX-License-Identifier: Apache-2.0

/// The text of a default that is a plain literal: `0`, `'none'::text`.
enum LiteralDefault {
    static func text(_ expression: String?) -> String? {
        guard let expression else { return nil }
        if Int(expression) != nil || Double(expression) != nil { return expression }
        guard expression.hasPrefix("'") else { return nil }
        var text = String.UnicodeScalarView()
        var rest = expression.unicodeScalars.dropFirst()
        while let scalar = rest.popFirst() {
            guard scalar == "'" else {
                text.append(scalar)
                continue
            }
            guard rest.first == "'" else {
                return rest.isEmpty || rest.starts(with: "::".unicodeScalars) ? String(text) : nil
            }
            text.append("'")
            rest.removeFirst()
        }
        return nil
    }
}
