// SPDX-License-Identifier: Apache-2.0

/// A connector to a system that begins, and calls back when it has ended.
///
/// What it tells is kept with the step and handed to `erase` as the request's `news`, together with the cursor of
/// `accepted(cursor:seconds:)`: also to another process, and after any number of restarts.
public protocol CalledBackConnector: Connector {
    /// What a message says, if it is the system's own.
    ///
    /// - Throws: `FarewellError` for a message that is not the system's, too old, or none.
    func hear(_ message: SystemMessage) throws -> SystemNews
}
