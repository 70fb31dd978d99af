// SPDX-License-Identifier: Apache-2.0

/// A model that may show data of the signed-in user. Given to `RootModel`, it is reset whenever another user may be
/// looking.
@MainActor
public protocol PersonalModel: AnyObject {
    /// Its initial state: no data of the former user can be read any more (SO-10).
    func reset()
}
