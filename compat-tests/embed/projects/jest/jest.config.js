module.exports = { testEnvironment: 'node', fakeTimers: { enableGlobally: true } };
