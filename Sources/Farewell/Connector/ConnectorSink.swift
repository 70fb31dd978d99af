// SPDX-License-Identifier: Apache-2.0

/// Takes the data that a connector reads: for each item `begin`, any number of `add`, then `end`. An item that is begun
/// and not ended is left out, and counted.
public protocol ConnectorSink: Sendable {
    /// - Parameter name: The system's own name for the item, which need not be a safe file name.
    func begin(_ name: String) throws
    func add(_ bytes: [UInt8]) throws
    func end() throws
    /// Counts something that is not handed over, at any time.
    func leaveOut(_ omission: ConnectorOmission) throws
}
