// SPDX-License-Identifier: Apache-2.0

/// The kinds of Firebase and Google Cloud.
extension SystemKind {
    private static let project = Part.must("project", "The identifier of the project.")
    private static let address = Part.may("endpoint", "The address of the service if it is not Google's own.")
    private static let credentials: [Part] = [
        .may("service_account", "The JSON of a service account. Without it Farewell looks where Google's tools look.")
    ]

    static let firebaseAuth = SystemKind(
        name: "firebase-auth", purpose: "Deletes the user's account in Firebase Authentication.",
        settings: [
            project,
            .may("tenant", "The identifier of a tenant of Identity Platform. Each tenant needs a system of its own."),
            .may("tenants", "`allowed`: the project has tenants, too, whose users other systems of the plan erase."),
            mixedNames, address,
        ], secrets: credentials, namesValues: true,
        example: ["users:", "  kind: firebase-auth", "  stage: identity", "  settings: {project: my-app}"])

    static let firestore = SystemKind(
        name: "firestore",
        purpose: "Deletes the subject's documents in Cloud Firestore with everything below them.",
        settings: [
            project, .may("database", "The database; without it `(default)`."),
            .may("path", "The subject's document `users/{person}`, or collection `users/{person}/notes`."),
            .may("collection", "Instead of a path: the collection, or the name of a collection group."),
            .may("field", "The field of its documents that names the subject."),
            .may("type", "The field's type: `string`, `integer`, `reference`, `array`, `array-of-references`, `map`."),
            .may(
                "value", "The form of the name: text such as `user_{person}`, or a document such as `users/{person}`."),
            .may("scope", "`collection` (the default) or `group`."),
            .may("shared", "For arrays and maps: `remove` the subject (the default) or `erase` the document."),
            .may(
                "mixed",
                "`allowed`: the field or path has other types or forms, too, which other systems of the plan erase."),
            empty, address,
        ], secrets: credentials, namesValues: true,
        example: [
            "posts:", "  kind: firestore",
            "  settings: {project: my-app, collection: posts, field: author, type: string}",
        ])

    static let firebaseStorage = SystemKind(
        name: "firebase-storage",
        purpose: "Deletes every generation of every object below the subject's prefix in Cloud Storage.",
        settings: [
            .must("bucket", "The name of the bucket."),
            .may("prefix", "The subject's folder, with `{person}` between slashes and a slash at the end."),
            .may("keys", "`exact` instead of a prefix: the subject's names are object names."), empty, mixed, address,
        ], secrets: credentials,
        example: [
            "files:", "  kind: firebase-storage",
            "  settings: {bucket: my-app.appspot.com, prefix: \"users/{person}/\"}",
        ])

    static let realtimeDatabase = SystemKind(
        name: "realtime-database", purpose: "Deletes the subject's place in the Firebase Realtime Database.",
        settings: [
            .must("endpoint", "The address of the database."),
            .must("path", "The subject's place, with `{person}` as one part: `users/{person}/notes`."), empty,
            mixed,
        ], secrets: credentials, namesValues: true,
        example: [
            "presence:", "  kind: realtime-database",
            "  settings: {endpoint: \"https://my-app.firebaseio.com\", path: \"presence/{person}\"}",
        ])
}
