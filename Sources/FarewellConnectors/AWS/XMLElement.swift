// SPDX-License-Identifier: Apache-2.0

import Farewell

/// An element of AWS's XML answers: only elements and text.
package struct XMLElement: Sendable, Hashable {
    package var name: String
    package var text = ""
    package var children: [XMLElement] = []

    package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    package func all(named name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The first element of that name at any depth.
    package func first(named name: String) -> XMLElement? {
        if self.name == name { return self }
        for child in children {
            if let found = child.first(named: name) { return found }
        }
        return nil
    }
}
