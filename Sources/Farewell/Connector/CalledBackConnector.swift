// SPDX-License-Identifier: Apache-2.0

/// A connector to a system that accepts a request, and calls back when it has finished.
///
/// Its message is stored with the step and passed to `erase` as the request's `news`, together with the cursor of
/// `accepted(cursor:seconds:)` or `resting(cursor:until:why:)`: also in another process, and after any number of
/// restarts. A message ends a rest at once, unless another system of the erasure has asked for a pause.
public protocol CalledBackConnector: Connector {
    /// The content of a message, if the system itself sent it.
    ///
    /// - Throws: `FarewellError` for a message that the system did not send, that is too old, or that cannot be read.
    func hear(_ message: SystemMessage) throws -> SystemNews
}
