const loadConfig = () => ({ port: 8080 });
