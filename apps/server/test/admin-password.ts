/** Password of the account `admin` in the seeded test database. */
export const ADMIN_PASSWORD = 'Test-admin-1'
