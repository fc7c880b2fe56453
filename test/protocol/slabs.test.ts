import { SlabPool } from '../../src/protocol/slabs';

const MIB = 1024 * 1024;

test('a slab that is given back is leased again for as many bytes', () => {
  const pool = new SlabPool();
  const slab = pool.lease(3000);
  expect(slab.length).toBe(4096);
  pool.release(slab);
  expect(pool.lease(4000)).toBe(slab);
});

test('large slabs are kept only as far as that is wanted', () => {
  const usual = new SlabPool();
  const large = usual.lease(6 * MIB);
  expect(large.length).toBe(6 * MIB);
  usual.release(large);
  expect(usual.lease(6 * MIB)).not.toBe(large);
  const keeping = new SlabPool({ largestKeptBytes: 8 * MIB });
  const kept = keeping.lease(6 * MIB);
  keeping.release(kept);
  expect(keeping.lease(6 * MIB)).toBe(kept);
});

test('what is given back may be overwritten, so that whoever still reads it is found out', () => {
  const pool = new SlabPool({ overwrites: true });
  const slab = pool.lease(10).fill(1);
  pool.release(slab);
  expect(slab.includes(1)).toBe(false);
});
