#!/bin/sh
# Creates the role and the database of the product. Runs once, when the PostgreSQL volume is empty.
# The role is no superuser, so row-level security holds for it; createdb lets `backup` verify its result.
set -eu
psql --set=ON_ERROR_STOP=1 --username postgres --set=password="$OMS_DATABASE_PASSWORD" <<'SQL'
create role oms login createrole createdb password :'password';
create database oms owner oms encoding 'UTF8' template template0;
\connect oms
create extension pg_trgm;
SQL
