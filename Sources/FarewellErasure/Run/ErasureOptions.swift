// SPDX-License-Identifier: Apache-2.0

/// How erasures are performed.
public struct ErasureOptions: Sendable, Hashable {
    /// The number of waiting small accounts that share one transaction; `nil` leaves it to the plan: 50, or 10 if
    /// several groups run concurrently and rows name two subjects.
    public var groupSize: Int?
    /// How many groups are worked on at once, each on a connection of its own.
    public var concurrency: Int
    /// From how many rows on an account is erased in chunks, each in a transaction of its own.
    public var largeAccount: Int
    public var deepScan: DeepScanExtent
    /// SQLite: scrub what deleting leaves in the file (`VACUUM`, checkpoint) and search its bytes.
    public var residue: Residue

    /// Whether erased bytes are also removed from the database's own files.
    public enum Residue: Sendable, Hashable { case scrub, leave }

    public init(
        groupSize: Int? = nil, concurrency: Int = 1, largeAccount: Int = 20_000,
        deepScan: DeepScanExtent = .none, residue: Residue = .scrub
    ) {
        self.groupSize = groupSize.map { max($0, 1) }
        self.concurrency = max(concurrency, 1)
        self.largeAccount = max(largeAccount, 1)
        self.deepScan = deepScan
        self.residue = residue
    }
}
