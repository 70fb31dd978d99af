// SPDX-License-Identifier: Apache-2.0

/// A model whose acts end in words for a screen reader.
@MainActor
package protocol Announcing: AnyObject {
    /// The pending announcements, each handed over once; other effects stay for the view.
    func takeAnnouncements() -> [ScreenEffect]
}
