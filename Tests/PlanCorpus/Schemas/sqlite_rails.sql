-- A small shop on SQLite in the style of Rails: affinities instead of types, and the queue in the same file.
-- subject: users.id
-- databases: sqlite
CREATE TABLE users (
  id integer PRIMARY KEY,
  email varchar NOT NULL UNIQUE,
  name varchar,
  failed_attempts integer
);
CREATE TABLE sessions (
  id integer PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users (id), -- owner: users.id
  ip_address varchar,
  user_agent varchar
);
CREATE TABLE addresses (
  id integer PRIMARY KEY,
  addressable_type varchar NOT NULL,
  addressable_id integer NOT NULL, -- owner: users.id when addressable_type = 'User' | about: warehouses.id when addressable_type = 'Warehouse'
  street varchar
);
CREATE TABLE warehouses (
  id integer PRIMARY KEY,
  name varchar,
  manager_id integer REFERENCES users (id) -- names: users.id
);
CREATE TABLE products (
  id integer PRIMARY KEY,
  name varchar,
  price numeric(10,2),
  max_per_customer integer
);
CREATE TABLE orders (
  id integer PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES users (id), -- owner: users.id
  packed_by_id integer REFERENCES users (id), -- names: users.id
  state integer
);
CREATE TABLE line_items (
  id integer PRIMARY KEY,
  order_id integer NOT NULL REFERENCES orders (id), -- part of: orders.id
  product_id integer NOT NULL REFERENCES products (id), -- about: products.id
  quantity integer
);
CREATE TABLE reviews (
  id integer PRIMARY KEY,
  user_id numeric NOT NULL, -- owner: users.id
  product_id integer NOT NULL, -- about: products.id
  rating integer,
  body text
);
CREATE TABLE carts (
  id integer PRIMARY KEY,
  user_id, -- owner: users.id
  updated_at timestamptz
);
CREATE TABLE cart_items (
  id integer PRIMARY KEY,
  cart_id integer NOT NULL, -- part of: carts.id
  product_id integer NOT NULL, -- about: products.id
  quantity integer
);
CREATE TABLE wishes (
  user_id real NOT NULL, -- owner: users.id
  product_id integer NOT NULL -- about: products.id
);
CREATE TABLE active_storage_blobs (
  id integer PRIMARY KEY,
  key varchar NOT NULL UNIQUE,
  byte_size integer
);
CREATE TABLE active_storage_attachments (
  id integer PRIMARY KEY,
  name varchar,
  record_type varchar NOT NULL,
  record_id integer NOT NULL, -- about: products.id when record_type = 'Product' | part of: reviews.id when record_type = 'Review'
  blob_id integer NOT NULL -- about: active_storage_blobs.id
);
CREATE TABLE queue_jobs (
  id integer PRIMARY KEY,
  queue_name varchar,
  priority integer,
  active_job_id varchar,
  class_name varchar
);
CREATE TABLE queue_processes (
  id integer PRIMARY KEY,
  pid integer,
  supervisor_id integer
);
CREATE TABLE vouchers (
  id integer PRIMARY KEY,
  code varchar,
  issued_by integer, -- names: users.id
  uses_per_user integer
);
