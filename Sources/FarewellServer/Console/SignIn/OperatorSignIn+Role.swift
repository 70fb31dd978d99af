// SPDX-License-Identifier: Apache-2.0

import Farewell

extension OperatorSignIn {
    /// The role of the bearer of these claims; nil allows nothing.
    func role(in claims: [String: JSONValue]) -> Operator.Role? {
        let values = Self.values(of: claim, in: claims)
        if operatorRoles.contains(where: values.containsExactly) { return .operates }
        return lookRoles.contains(where: values.containsExactly) ? .looks : nil
    }

    /// One text, or an array of texts, under its whole name or otherwise by its path. Names and values are compared as
    /// bytes, because users may choose names of groups at the provider.
    private static func values(of claim: String, in claims: [String: JSONValue]) -> [String] {
        let path = claim.split(separator: ".").map(String.init)
        let value = claims[exactly: claim] ?? path.reduce(JSONValue?.some(.object(claims))) { $0?.object?[exactly: $1] }
        if let one = value?.string { return [one] }
        return value?.array?.compactMap(\.string) ?? []
    }
}
