-- What the app keeps beside AWS: who its people are there, and what Stripe calls them.
CREATE TABLE accounts (
    sub text PRIMARY KEY NOT NULL,
    stripe_customer text,
    created_at text NOT NULL
);
