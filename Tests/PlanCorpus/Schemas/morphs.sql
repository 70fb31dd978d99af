-- A course platform in the style of Laravel: morphs, class names as types, tokens, sessions without keys.
-- subject: users.id
-- databases: postgresql, sqlite
CREATE TABLE users (
  id bigint PRIMARY KEY,
  name varchar(255),
  email varchar(255) NOT NULL UNIQUE,
  password varchar(255),
  remember_token varchar(100)
);
CREATE TABLE password_reset_tokens (
  email varchar(255) NOT NULL, -- owner: users.email
  token varchar(255)
);
CREATE TABLE sessions (
  id varchar(255) PRIMARY KEY,
  user_id bigint, -- owner: users.id
  ip_address varchar(45),
  user_agent text,
  last_activity integer
);
CREATE TABLE personal_access_tokens (
  id bigint PRIMARY KEY,
  tokenable_type varchar(255) NOT NULL,
  tokenable_id bigint NOT NULL, -- owner: users.id when tokenable_type = 'App\Models\User' | about: schools.id when tokenable_type = 'App\Models\School'
  name varchar(255),
  token varchar(80) NOT NULL UNIQUE
);
CREATE TABLE schools (
  id bigint PRIMARY KEY,
  name varchar(255),
  users_allowed integer
);
CREATE TABLE roles (
  id bigint PRIMARY KEY,
  name varchar(60),
  guard_name varchar(60)
);
CREATE TABLE model_has_roles (
  role_id bigint NOT NULL REFERENCES roles (id) ON DELETE CASCADE, -- about: roles.id
  model_type varchar(255) NOT NULL,
  model_id bigint NOT NULL, -- owner: users.id when model_type = 'App\Models\User' | about: schools.id when model_type = 'App\Models\School'
  PRIMARY KEY (role_id, model_id, model_type)
);
CREATE TABLE courses (
  id bigint PRIMARY KEY,
  school_id bigint NOT NULL REFERENCES schools (id) ON DELETE CASCADE, -- about: schools.id
  title varchar(255),
  instructor_id bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  created_by bigint REFERENCES users (id) ON DELETE SET NULL -- names: users.id
);
CREATE TABLE enrolments (
  id bigint PRIMARY KEY,
  course_id bigint NOT NULL REFERENCES courses (id) ON DELETE CASCADE, -- about: courses.id
  student_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  granted_by bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  progress integer
);
CREATE TABLE lessons (
  id bigint PRIMARY KEY,
  course_id bigint NOT NULL REFERENCES courses (id) ON DELETE CASCADE, -- about: courses.id
  title varchar(255),
  author varchar(255),
  sort integer
);
CREATE TABLE lesson_user (
  lesson_id bigint NOT NULL REFERENCES lessons (id) ON DELETE CASCADE, -- about: lessons.id
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  seconds_watched integer,
  PRIMARY KEY (lesson_id, user_id)
);
CREATE TABLE submissions (
  id bigint PRIMARY KEY,
  enrolment_id bigint NOT NULL REFERENCES enrolments (id) ON DELETE CASCADE, -- part of: enrolments.id
  grader_id bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  answer text,
  grade integer
);
CREATE TABLE media (
  id bigint PRIMARY KEY,
  model_type varchar(255) NOT NULL,
  model_id bigint NOT NULL, -- owner: users.id when model_type = 'App\Models\User' | part of: submissions.id when model_type = 'App\Models\Submission' | about: lessons.id when model_type = 'App\Models\Lesson'
  file_name varchar(255),
  size integer
);
CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  type varchar(255),
  notifiable_type varchar(255) NOT NULL,
  notifiable_id bigint NOT NULL, -- owner: users.id when notifiable_type = 'App\Models\User' | about: schools.id when notifiable_type = 'App\Models\School'
  data text
);
CREATE TABLE activity_log (
  id bigint PRIMARY KEY,
  log_name varchar(60),
  subject_type varchar(255),
  subject_id bigint, -- part of: submissions.id when subject_type = 'App\Models\Submission' | about: courses.id when subject_type = 'App\Models\Course'
  causer_type varchar(255),
  causer_id bigint, -- names: users.id when causer_type = 'App\Models\User' | about: schools.id when causer_type = 'App\Models\School'
  description text
);
CREATE TABLE failed_jobs (
  id bigint PRIMARY KEY,
  job_uuid varchar(80) NOT NULL UNIQUE,
  payload text,
  failed_at timestamptz
);
CREATE TABLE settings (
  id bigint PRIMARY KEY,
  max_students_per_course integer,
  user_registration boolean,
  default_instructor_share integer
);
