// SPDX-License-Identifier: Apache-2.0

/// Takes the data that a connector reads: for each item `begin`, any number of `add`, then `end`. An item that is begun
/// and not ended is left out, and counted.
///
/// An item whose contents the system identifies, for instance by an entity tag, need not be read again after an
/// interruption: ask `takeOver` first, and end it with the same mark.
public protocol ConnectorSink: Sendable {
    /// - Parameter name: The system's own name for the item, which need not be a safe file name.
    func begin(_ name: String) throws
    func add(_ bytes: [UInt8]) throws
    func end() throws
    /// Counts something that is not handed over, at any time.
    func leaveOut(_ omission: ConnectorOmission) throws
    /// Takes over an item that an interrupted export has read completely. Then it is neither begun nor ended.
    ///
    /// - Parameters:
    ///   - name: As for `begin`.
    ///   - mark: Differs where the item's contents differ.
    /// - Returns: Whether the item is complete; if not, it must be read.
    func takeOver(_ name: String, marked mark: String) throws -> Bool
    /// Ends an item whose bytes are those of the mark, so that a later export may take it over.
    func end(marked mark: String) throws
}

extension ConnectorSink {
    /// Takes nothing over.
    public func takeOver(_ name: String, marked mark: String) throws -> Bool { false }

    /// Ends the item, and does not keep the mark.
    public func end(marked mark: String) throws { try end() }
}
