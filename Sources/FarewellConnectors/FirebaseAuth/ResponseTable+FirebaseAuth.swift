// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let noProject = ResponseOutcome.misconfigured("there is no such project or tenant")
    private static let noTenant = ResponseOutcome.misconfigured("the project has no such tenant")

    private static let noPlace = ResponseLine(
        [404], noProject, "https://cloud.google.com/apis/design/errors#handling_errors")

    package static let firebaseAuth = ResponseTable("firebase-auth", identityLines + googleLines + [noPlace])

    private static let identityLines: [ResponseLine] = [
        .init([], code: "USER_NOT_FOUND", .absent, identityErrors),
        .init([], code: "QUOTA_EXCEEDED", .later, identityErrors),
        .init([], code: "TOO_MANY_ATTEMPTS_TRY_LATER", .later, identityErrors),
        .init([], code: "INSUFFICIENT_PERMISSION", .credentials, identityErrors),
        .init([], code: "CONFIGURATION_NOT_FOUND", noProject, identityErrors),
        .init([], code: "PROJECT_NOT_FOUND", noProject, identityErrors),
        .init([], code: "INVALID_PROJECT_ID", noProject, identityErrors),
        .init([], code: "TENANT_NOT_FOUND", noTenant, tenantErrors),
        .init([], code: "INVALID_TENANT_ID", noTenant, tenantErrors),
        .init([], code: "TENANT_ID_MISMATCH", noTenant, tenantErrors),
        .init(
            [], code: "UNSUPPORTED_TENANT_OPERATION",
            .misconfigured("the project does not allow tenants, or not this request in one"), tenantErrors),
    ]
}
