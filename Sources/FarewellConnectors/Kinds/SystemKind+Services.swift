// SPDX-License-Identifier: Apache-2.0

/// The kinds of Supabase, Apple, Stripe and RevenueCat, and services of your own.
extension SystemKind {
    private static let serviceRole = Part.must("key", "A key with the role `service_role`.")

    static let supabaseAuth = SystemKind(
        name: "supabase-auth", purpose: "Deletes the user's account in Supabase Auth.",
        settings: [
            .must("endpoint", "The address of Supabase Auth, without `/admin`."),
            .may("delete", "`hard` (the default) or `soft`."),
        ], secrets: [serviceRole], namesValues: true,
        example: [
            "auth:", "  kind: supabase-auth", "  stage: identity",
            "  settings: {endpoint: \"https://abc.supabase.co/auth/v1\"}",
            "  secrets: {key: {environment: SUPABASE_SERVICE_ROLE_KEY}}",
        ])

    static let supabaseStorage = SystemKind(
        name: "supabase-storage",
        purpose: "Deletes the files in the subject's folder of a bucket, and files that the database lists (`owned`).",
        settings: [
            .must("endpoint", "The address of Supabase Storage, without `/object`."),
            .must("bucket", "The name of the bucket."),
            .must("prefix", "The subject's folder, with `{person}` between slashes and a slash at the end."),
            empty, mixed,
        ], secrets: [serviceRole], takesItems: true,
        example: [
            "avatars:", "  kind: supabase-storage",
            "  owned: {column: storage.objects.name, by: [owner_id, owner], where: {bucket_id: avatars}}",
            "  settings: {endpoint: \"https://abc.supabase.co/storage/v1\", bucket: avatars, prefix: \"{person}/\"}",
            "  secrets: {key: {environment: SUPABASE_SERVICE_ROLE_KEY}}",
        ])

    static let apple = SystemKind(
        name: "apple", purpose: "Revokes the user's refresh token of Sign in with Apple.",
        settings: [
            .must("client", "The client or bundle identifier."), .must("team", "Your team identifier at Apple."),
            .must("key_id", "The identifier of your key for Sign in with Apple."),
            .may("endpoint", "The address of the service if it is not Apple's own."),
        ], secrets: [.must("private_key", "The text of the .p8 file from Apple.")],
        example: [
            "apple:", "  kind: apple", "  person: auth.provider_credentials.sealed_refresh_token",
            "  settings: {client: org.example.app, team: TEAM123456, key_id: KEY1234567}",
            "  secrets: {private_key: {file: apple.p8}}",
        ])

    static let stripe = SystemKind(
        name: "stripe",
        purpose: "Ends the customer's subscriptions, then deletes the customer. Stripe keeps invoices and payments.",
        settings: [
            .may(
                "unpaid",
                "While an invoice is open: `cancel` the subscriptions all the same (the default; the invoice stays "
                    + "open in Stripe), or `refuse` the erasure."),
            .may("subscriptions", "End them `now` (the default) or at `period-end`."),
            .may("latest", "With `period-end`: the most days to wait, 1 to 30; without it 25."),
            .may("redact", "`none` (the default), or `job` to run a redaction job first."),
            .may("mode", "`live` or `test`; the key must be of this mode."),
            .may(
                "account",
                "The account of the key (`acct_…`). Without it a customer that Stripe does not know parks the erasure."
            ),
            .may(
                "connected",
                "A connected account (`acct_…`) that has the customers; the key is the platform's. Not with `account`."
            ),
            mixedNames, .may("version", "The version of Stripe's interface to request."),
            .may("endpoint", "The address of the service if it is not Stripe's own."),
        ], secrets: [.must("key", "A secret or restricted key.")], namesValues: true,
        example: [
            "stripe:", "  kind: stripe", "  person: public.users.stripe_customer",
            "  settings: {mode: live, subscriptions: now}", "  secrets: {key: {environment: STRIPE_KEY}}",
        ])

    static let revenueCat = SystemKind(
        name: "revenuecat", purpose: "Deletes the customer in RevenueCat.",
        settings: [
            .may("project", "The identifier of the project. Version 2 of the interface requires it."),
            .may("api", "`v2` (the default) or `v1`."),
            .may("known", "With `v1`: a customer that the project has, which shows that the key is the project's."),
            mixedNames, .may("endpoint", "The address of the service if it is not RevenueCat's own."),
        ], secrets: [.must("key", "A secret key for the same version of the interface.")], namesValues: true,
        example: [
            "revenuecat:", "  kind: revenuecat", "  settings: {project: proj1ab2c3d4}",
            "  secrets: {key: {environment: REVENUECAT_KEY}}",
        ])

    static let webhook = SystemKind(
        name: "webhook", purpose: "Calls a service of your own by signed messages (Standard Webhooks 1.0).",
        settings: [
            .must("endpoint", "The address of the service."),
            .may("callback", "The address at which the service reaches this server, without `/v1`."),
            .may("timeout", "Hours (1 to 720, else 24) without a callback until a request is repeated, twice at most."),
            .may("allow", "Private networks that Farewell may call: `10.20.0.0/16, 127.0.0.1`."),
        ],
        secrets: [
            .must("secret", "The shared secret: `whsec_` and base64."),
            .may("former_secret", "The replaced secret, during a rotation."),
        ],
        example: [
            "crm:", "  kind: webhook", "  settings: {endpoint: \"https://crm.example.org/farewell\"}",
            "  secrets: {secret: {environment: CRM_SECRET}}",
        ])
}
