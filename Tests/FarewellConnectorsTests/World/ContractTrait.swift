// SPDX-License-Identifier: Apache-2.0

import Testing

/// Every request of a suite's tests is valid under its vendor's machine-readable contract.
struct ContractTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> ContractTrait? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite within a suite is part of the test's own record.
        guard testCase != nil, RequestRecord.current == nil else { return try await function() }
        let record = RequestRecord()
        try await RequestRecord.$current.withValue(record) { try await function() }
        try await record.check()
    }
}

extension Trait where Self == ContractTrait {
    static var contracts: Self { ContractTrait() }
}
