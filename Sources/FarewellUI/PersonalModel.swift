// SPDX-License-Identifier: Apache-2.0

/// A model that may show something of the person who is signed in. Given to `RootModel`, it is reset whenever another
/// person may be looking.
@MainActor
public protocol PersonalModel: AnyObject {
    /// As it was at the start: nothing of the person before can be read any more (SO-10).
    func reset()
}
